# Fills a Spirit forum through its own models: `manage.py shell < spirit.py`. Prints one line of JSON: the posts made.
# FILL=first makes boards, threads and posts; FILL=more adds to them; FILL=edit changes and removes.
import json, os, random
from datetime import timedelta
from django.contrib.auth import get_user_model
from django.utils import timezone
from spirit.category.models import Category
from spirit.comment.models import Comment
from spirit.topic.models import Topic

random.seed(7)
words = "queue parse shard héllo 日本語 token index latency cursor retry budget ledger harbour".split()
made = []


def say():
    return " ".join(random.choices(words, k=random.randint(6, 30)))


def post(topic, user, at, text=None):
    text = text or say() + f" {Comment.objects.count()}"
    comment = Comment.objects.create(user=user, topic=topic, comment=text, comment_html=f"<p>{text}</p>", date=at)
    made.append({"id": str(comment.pk), "text": text, "topic": topic.pk})
    count = Comment.objects.filter(topic=topic).count()
    Topic.objects.filter(pk=topic.pk).update(comment_count=count, last_active=at)


def first():
    users = [get_user_model().objects.create_user(username=f"member{i}", email=f"m{i}@example.com", password="pw") for i in range(12)]
    boards = [Category.objects.create(title=f"Board {name}", sort=i + 1) for i, name in enumerate(["Tea", "Boats", "Stars", "Maps", "Bread"])]
    boards.append(Category.objects.create(title="Green Tea", parent=boards[0], sort=1))
    start = timezone.now() - timedelta(days=60)
    for number in range(40):
        board = boards[0] if number < 25 else boards[number % 6]
        at = start + timedelta(hours=30 * number)
        topic = Topic.objects.create(category=board, user=users[number % 12], title=f"Thread {number} {say()[:30]}", date=at, is_pinned=number == 3)
        for turn in range(65 if number == 5 else 45 if number == 30 else 1 + number % 10):
            post(topic, users[(number + turn) % 12], at + timedelta(minutes=13 * turn))


def more():
    users = list(get_user_model().objects.filter(username__startswith="member"))
    now = timezone.now()
    for topic in Topic.objects.filter(title__startswith="Thread 5 ") | Topic.objects.filter(title__startswith="Thread 9 "):
        post(topic, users[0], now, f"one more {topic.pk} {now.timestamp()}")
    board = Category.objects.get(title="Board Boats")
    topic = Topic.objects.create(category=board, user=users[1], title=f"Thread of {now.timestamp()}", date=now)
    post(topic, users[1], now, f"a new thread {now.timestamp()}")


def edit():
    topic = Topic.objects.get(title__startswith="Thread 9 ")
    posts = list(Comment.objects.filter(topic=topic).order_by("pk"))
    changed = posts[-1]
    Comment.objects.filter(pk=changed.pk).update(comment="second thoughts", comment_html="<p>second thoughts</p>")
    made.append({"id": str(changed.pk), "text": "second thoughts", "topic": topic.pk})
    gone = posts[-3]
    made.append({"id": str(gone.pk), "text": gone.comment, "topic": topic.pk})
    gone.delete()
    Topic.objects.filter(pk=topic.pk).update(last_active=timezone.now())


{"first": first, "more": more, "edit": edit}[os.environ["FILL"]]()
print("MADE " + json.dumps(made))
